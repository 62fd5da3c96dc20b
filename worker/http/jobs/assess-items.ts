import type { Context } from 'hono'
import type { ItemRequest } from '../../../domain/batches/batch.ts'
import { accepted, type Refusal, type Result, refused } from '../../../domain/codes/refusals.ts'
import { configOf } from '../../env.ts'
import type { HttpEnv } from '../request-context.ts'
import { type BatchItemOptions, itemOf } from './batch-schemas.ts'
import {
  importProblem,
  transcriptionProblem,
  webhookUrlProblem,
  withEngine,
  withImportEngine,
  within,
} from './options-problem.ts'
import { sealedKeyFor } from './start-job.ts'
import type { ImportOptions, TranscribeOptions } from './start-requests.ts'

interface Given {
  import?: ImportOptions | undefined
  transcribe?: TranscribeOptions | undefined
}

interface AssessedItems {
  item: ItemRequest
  sealedKey: string | null
}

/** The options of all items of a batch or a watch, and the address that is told of it. */
export const assessItems = async (
  c: Context<HttpEnv>,
  given: Given,
  webhookUrl: string | undefined,
): Promise<Result<AssessedItems>> => {
  const config = configOf(c.env)
  const imported = given.import && withImportEngine(config, given.import)
  if (imported && !imported.ok) return { ok: false, refusal: within('import', imported.refusal) }
  const chosen = given.transcribe && withEngine(config, given.transcribe)
  if (chosen && !chosen.ok) return { ok: false, refusal: within('transcribe', chosen.refusal) }
  const options: BatchItemOptions = { import: imported?.value, transcribe: chosen?.value }
  const problem = (await itemProblem(c, options)) ?? (await webhookUrlProblem(c, webhookUrl))
  if (problem) return { ok: false, refusal: problem }
  const key = await sealedKeyFor(c, options.transcribe ?? options.import?.transcribe ?? {})
  return key ? accepted({ item: itemOf(options), sealedKey: key.sealed }) : refused('PROVIDER_KEY_REQUIRED')
}

const itemProblem = async (
  c: Context<HttpEnv>,
  { import: imported, transcribe }: BatchItemOptions,
): Promise<Refusal | null> => {
  if (imported) return within('import', await importProblem(c, imported))
  return transcribe ? within('transcribe', await transcriptionProblem(c, transcribe)) : null
}
