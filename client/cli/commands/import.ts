import type { Command } from 'commander'
import { HaulJobError, type ImportOptions, type ImportResult } from '../../src/index.ts'
import { nameCeiling } from '../ceilings.ts'
import { UsageError } from '../exit-codes.ts'
import { missingLines, saveFiles } from '../files/job-files.ts'
import { type Target, targetOf } from '../files/save.ts'
import { followJob, printStarted, withProgress } from '../follow-job.ts'
import { openSession } from '../session.ts'
import { addStartFlags, importPart, type StartCommandOptions } from '../start-flags.ts'
import { printable, printJson, printLine } from '../terminal/output.ts'
import { bytesText, dollarsText, durationText } from '../terminal/quantities.ts'

interface Options extends StartCommandOptions {
  output?: string
  force?: true
  store?: true
}

export const addImport = (program: Command): Command => {
  const command = program
    .command('import')
    .summary('import the media of a URL and save it, with captions and more')
    .description(
      'Imports a page or a media file and saves its files here, or those of imp_… again. With --json or --store only with -o.',
    )
    .argument('<url>')
    .option('-o, --output <file>', 'save as this file, in this folder, or - for stdout')
    .option('-f, --force', 'overwrite an existing file')
  return addStartFlags(command, 'import')
    .option('--no-wait', 'print the job id and leave the job running')
    .addHelpText('after', '\nExample:\n  haul import https://example.com/talk --captions en,de --transcript -o talks/')
    .action(importMedia)
}

const importMedia = async (source: string, options: Options): Promise<void> => {
  const isEarlierJob = source.startsWith('imp_')
  const given = await targetOf(options.output, options)
  const savesByDefault = !options.json && !options.store
  const target = given ?? (savesByDefault ? await targetOf('.', options) : undefined)
  const fields = importFields(options, target)
  const session = await openSession(options)
  const { haul, signal } = session
  const started = isEarlierJob
    ? undefined
    : await withProgress(session, 'starting', () =>
        haul.import(source, { ...fields, wait: false, signal, cancelOnAbort: options.wait }),
      )
  if (started && !options.wait) return printStarted(session, started)
  const jobId = started?.jobId ?? source
  const result = await followJob<ImportResult>(session, jobId, { isOwn: started !== undefined }).catch((error) => {
    const { maxCostDollars } = fields
    if (started && error instanceof HaulJobError && maxCostDollars !== undefined) {
      const sentence = `It costs more than --max-cost, which is ${dollarsText(maxCostDollars)}.`
      nameCeiling(session, error, { maxCostDollars, sentence })
    }
    throw error
  })
  const paths = target ? await saveFiles(session, target, result) : [printable(result.mediaUrl)]
  for (const line of missingLines(jobId, result, fields.transcribe)) session.note(line)
  if (options.json) return printJson(await haul.jobs.get(jobId))
  session.note(factsOf(jobId, result))
  for (const path of paths) await printLine(path)
}

const importFields = (options: Options, target: Target | undefined): ImportOptions => {
  const fields: ImportOptions = importPart('import', options)
  const { captions, transcribe, files, store } = fields
  if (target?.kind === 'stream' && (captions || transcribe || files)) {
    throw new UsageError('-o names one stream, and there would be several files: name a folder or a file.')
  }
  return {
    ...fields,
    // Only the link of the service can be downloaded without the keys of the bucket.
    ...(store === true && { storageReturnLocation: target === undefined }),
  }
}

const factsOf = (jobId: string, { title, fileSizeBytes, duration, costInDollars, s3Storage, message }: ImportResult) =>
  printable(
    [
      title,
      bytesText(fileSizeBytes),
      durationText(duration),
      dollarsText(costInDollars),
      ...(s3Storage ? [`stored as ${s3Storage.bucket}/${s3Storage.key}`] : []),
      ...(message ? [message] : []),
      jobId,
    ].join(' · '),
  )
