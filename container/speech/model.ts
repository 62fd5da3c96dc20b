import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'

/**
 * The speech engine or its model is missing, damaged or invalid on this machine. Another container may have it, so
 * this is not a failure of the job. `reason` names paths of this machine: it is for /health and the log, not for
 * callers.
 */
export class EngineUnavailable extends Error {
  readonly reason: string
  constructor(reason: string, options?: ErrorOptions) {
    super(`The built-in speech recognition is not available: ${reason}`, options)
    this.reason = reason
  }
}

/** `manifest.json` lists every file of a model folder. It is written when the model is installed. */
const Manifest = z.object({
  files: z
    .record(
      z.string().regex(/^[\w-][\w.-]*$/),
      z.object({ bytes: z.number().int().nonnegative(), sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
    )
    .refine((files) => 'model.bin' in files, 'model.bin is missing'),
})

/** Compares names and sizes only, which is cheap enough for every request to /health. */
export const checkModel = async (folder: string): Promise<z.infer<typeof Manifest>['files']> => {
  const { files } = await readManifest(folder)
  const present = (await readdir(folder)).filter((name) => name !== 'manifest.json')
  const unlisted = present.find((name) => !(name in files))
  if (unlisted) throw new EngineUnavailable(`${join(folder, unlisted)} is not in the manifest of the speech model`)
  for (const [name, { bytes }] of Object.entries(files)) {
    const size = await stat(join(folder, name)).then(
      (found) => found.size,
      () => null,
    )
    if (size === null) throw new EngineUnavailable(`${join(folder, name)} is missing`)
    if (size !== bytes) throw damaged(folder, name)
  }
  return files
}

/** Compares the digests of all files. Done before the model is loaded. */
export const verifyModel = async (folder: string): Promise<void> => {
  const files = await checkModel(folder)
  for (const [name, { sha256 }] of Object.entries(files)) {
    const hash = createHash('sha256')
    await pipeline(createReadStream(join(folder, name), { highWaterMark: 1024 * 1024 }), hash)
    if (hash.digest('hex') !== sha256) throw damaged(folder, name)
  }
}

const damaged = (folder: string, name: string) =>
  new EngineUnavailable(
    `${join(folder, name)} does not match the manifest. Delete ${folder} and start again to download it again`,
  )

const readManifest = async (folder: string): Promise<z.infer<typeof Manifest>> => {
  const path = join(folder, 'manifest.json')
  const text = await readFile(path, 'utf8').catch((cause) => {
    throw new EngineUnavailable(`the speech model is not set up: ${path} is missing`, { cause })
  })
  try {
    return Manifest.parse(JSON.parse(text))
  } catch (cause) {
    throw new EngineUnavailable(`${path} is not a valid manifest`, { cause })
  }
}
