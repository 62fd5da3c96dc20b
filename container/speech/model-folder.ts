import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'

/** A folder with the weights of a model. `manifest.json` lists its files and their digests, and no others may be there. */

/**
 * A model or its engine cannot be used here. Another container may have it, so this is not a failure of the job. `reason`
 * names paths of this machine: it is for /health and the log, not for callers.
 */
export class EngineUnavailable extends Error {
  readonly reason: string
  constructor(reason: string, options?: ErrorOptions) {
    super(`The built-in speech engine is not available: ${reason}`, options)
    this.reason = reason
  }
}

/** `otherwise`: what stands before an error that nobody expected. */
export const reasonOf = (error: unknown, otherwise: string): string =>
  error instanceof EngineUnavailable ? error.reason : `${otherwise}: ${String(error)}`

export interface ModelFolder {
  path: string
  /** What it is called in a sentence, such as "speech model". */
  name: string
  /** Without these it is another model. */
  needs: string[]
}

/** No part begins with a dot: `..` would lead out of the folder, and hidden files are left by programs that download. */
const fileName = /^(?!\.)[^/\\\0]+(\/(?!\.)[^/\\\0]+)*$/

export const byOperator = 'operator'

/** It is written when the model is installed, or by `node scripts/speech.mjs manifest <folder>`. */
const Manifest = z.object({
  /** Who wrote it. */
  origin: z.string().optional(),
  /** What results call the model. Absent: by the name of its folder. */
  name: z
    .string()
    .regex(/^\w[\w.-]{0,99}$/)
    .optional(),
  files: z
    .record(
      z.string().regex(fileName),
      z.object({ bytes: z.number().int().nonnegative(), sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
    )
    .refine((files) => Object.keys(files).length > 0),
  /** What a model for speech hears and tells (see models.ts). Absent: it follows from its kind. */
  languages: z.union([z.literal('all'), z.array(z.string().regex(/^[a-z]{2,3}$/)).min(1)]).optional(),
  words: z.boolean().optional(),
  translation: z.boolean().optional(),
  /** How alike two voices are that are one person's, for another encoder of voices. */
  threshold: z.number().min(-1).max(1).optional(),
})
export type Manifest = z.infer<typeof Manifest>

/** Compares names and sizes only, which is cheap enough for every request to /health. */
export const checkModel = async (model: ModelFolder): Promise<Manifest> => {
  const manifest = await readManifest(model)
  const unlisted = (await namesIn(model.path)).find((name) => !(name in manifest.files))
  if (unlisted) {
    throw new EngineUnavailable(`${join(model.path, unlisted)} is not in the manifest of the ${model.name}`)
  }
  for (const [name, { bytes }] of Object.entries(manifest.files)) {
    const found = await stat(join(model.path, name)).catch(() => null)
    if (!found) throw new EngineUnavailable(`${join(model.path, name)} is missing`)
    if (found.size !== bytes) throw damaged(model.path, name, manifest)
  }
  return manifest
}

export const checkPython = async (python: string): Promise<void> =>
  access(python).catch((cause) => {
    throw new EngineUnavailable(`the speech engine is not set up: ${python} is missing`, { cause })
  })

/** Whether there is a model and a Python that could load it. As cheap as `checkModel`. */
export const checkInstallation = async (model: ModelFolder, python: string): Promise<void> => {
  await checkModel(model)
  await checkPython(python)
}

/** Compares the digests of all files. Done before the model is loaded. */
export const verifyModel = async (model: ModelFolder): Promise<Manifest> => {
  const manifest = await checkModel(model)
  for (const [name, { sha256 }] of Object.entries(manifest.files)) {
    const hash = createHash('sha256')
    await pipeline(createReadStream(join(model.path, name), { highWaterMark: 1024 * 1024 }), hash)
    if (hash.digest('hex') !== sha256) throw damaged(model.path, name, manifest)
  }
  return manifest
}

/** Its files at any depth, and links to files, without the manifest. */
export const namesIn = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((name) => name !== 'manifest.json' && !/(^|\/)\./.test(name))
}

/** What a child that loads the model may read: the folder, and the files elsewhere that links in it lead to. */
export const filesOfModel = async ({ path }: ModelFolder): Promise<string[]> => {
  const names = await namesIn(path)
  const files = await Promise.all(names.map((name) => realpath(join(path, name))))
  return [path, ...files.filter((file) => !file.startsWith(`${path}/`))]
}

/** Of a child that loads a model. It and its threads map far more memory than they use. */
export const modelLimits = { addressSpaceBytes: 64 * 1024 ** 3, cpuSeconds: 2 ** 31, openFiles: 256 }

const damaged = (folder: string, name: string, { origin }: Manifest) => {
  const remedy =
    origin === byOperator ? newManifest(folder) : `delete ${folder} and start again, and it is downloaded again`
  return new EngineUnavailable(`${join(folder, name)} does not match the manifest (${remedy})`)
}

const newManifest = (folder: string) => `node scripts/speech.mjs manifest ${folder} writes one`

const readManifest = async (model: ModelFolder): Promise<Manifest> => {
  const path = join(model.path, 'manifest.json')
  const text = await readFile(path, 'utf8').catch((cause) => {
    const reason = `the ${model.name} is not set up: ${path} is missing (${newManifest(model.path)})`
    throw new EngineUnavailable(reason, { cause })
  })
  try {
    const manifest = Manifest.parse(JSON.parse(text))
    const missing = model.needs.find((name) => !(name in manifest.files))
    if (missing) throw new Error(`${missing} is missing`)
    return manifest
  } catch (cause) {
    throw new EngineUnavailable(`${path} is not a valid manifest`, { cause })
  }
}
