import { existsSync, readFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readSourceProxies, type SourceProxies } from '../domain/network/source-proxies.ts'
import type { NamedFolder } from '../domain/settings/rules.ts'
import { type Environment, readEnvironment, type Values } from '../domain/settings/settings.ts'

/** The settings of this container, with what it finds out itself where the operator has set none. */
export interface ContainerConfig extends Values<'container'> {
  ENGINE_TOKEN: string
  HAUL_PYTHON: string
  WORK_DIR: string
  sourceProxies: SourceProxies
}

/** Throws a sentence for the operator. */
export const readConfig = (env: Environment): ContainerConfig => {
  const read = readEnvironment('container', env)
  const token = read.ENGINE_TOKEN ?? tokenIn(read.ENGINE_TOKEN_FILE)
  if (!token) throw new Error('ENGINE_TOKEN must be set, or ENGINE_TOKEN_FILE to a file that has it.')
  return {
    ...read,
    ENGINE_TOKEN: token,
    HAUL_PYTHON: pythonAt(read.HAUL_PYTHON),
    WORK_DIR: resolve(read.WORK_DIR ?? defaultWorkDir(read.PORT)),
    sourceProxies: readSourceProxies({ url: env.SOURCE_PROXY_URL, byHost: env.SOURCE_PROXIES }),
  }
}

/** A token that the Worker's program has written for its engines, on a volume that both have. */
const tokenIn = (file: string | null): string =>
  file !== null && existsSync(file) ? readFileSync(file, 'utf8').trim() : ''

/** Each instance needs its own, because the folder is deleted at start. */
const defaultWorkDir = (port: number): string => join(tmpdir(), `haul-engine-${port || `pid-${process.pid}`}`)

const ownPython = join(import.meta.dirname, '../.tools/venv/bin/python')

/** The rest is for what no step reserves: thumbnails, captions, and files of other programs. */
const USABLE_SHARE = 0.9

/** What steps may use of the file system that this folder is on. */
export const usableBytes = async (folder: string): Promise<number> => {
  const { bavail, bsize } = await statfs(folder)
  return Math.floor(bavail * bsize * USABLE_SHARE)
}

/** Child processes have another working directory. A program's name without a folder stays one. */
export const pythonAt = (path: string | null): string => (path?.includes('/') ? resolve(path) : (path ?? ownPython))

export interface SpeechSettings {
  python: string
  modelDir: string
  threads: number
  /** Of speech, beside the one in `modelDir`, which is the default one. */
  models?: NamedFolder[]
}

export interface RecognizerSettings extends SpeechSettings {
  models: NamedFolder[]
  /** The folders that the operator has named, without which the container does not start. */
  mounted: string[]
}

const ownModel = (name: string): string => join(import.meta.dirname, '../.tools/models', name)
const ownWhisper = ownModel('whisper-base')
const ownMoonshine = { name: 'moonshine-base', folder: ownModel('moonshine-base') }
const ownSpeakerModel = ownModel('speakers')

/** Each folder has a manifest, as `node scripts/speech.mjs manifest <folder>` writes it. */
export const speechSettings = (env: NodeJS.ProcessEnv = process.env): RecognizerSettings => {
  const { HAUL_PYTHON, STT_PYTHON, STT_THREADS, SPEECH_MODEL, ...read } = readEnvironment('container', env)
  const given = read.STT_MODEL_DIR && resolve(read.STT_MODEL_DIR)
  const named = (read.STT_MODELS ?? []).map(({ name, folder }) => ({ name, folder: resolve(folder) }))
  const hasOther = SPEECH_MODEL === 'both' && named.every(({ name }) => name !== ownMoonshine.name)
  return {
    python: pythonAt(STT_PYTHON ?? HAUL_PYTHON),
    modelDir: given ?? (SPEECH_MODEL === 'moonshine' ? ownMoonshine.folder : ownWhisper),
    threads: STT_THREADS ?? availableParallelism(),
    models: hasOther ? [...named, ownMoonshine] : named,
    mounted: [...(given ? [given] : []), ...named.map(({ folder }) => folder)],
  }
}

/** SPEAKER_MODEL_DIR: `segmentation.onnx`, `encoder.onnx` and a manifest, with a `threshold` for another encoder. */
export const speakerSettings = (env: NodeJS.ProcessEnv = process.env): SpeechSettings => {
  const { SPEAKER_MODEL_DIR } = readEnvironment('container', env)
  const { python, threads } = speechSettings(env)
  return { python, threads, modelDir: resolve(SPEAKER_MODEL_DIR ?? ownSpeakerModel) }
}
