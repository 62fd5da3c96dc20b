import { basename, dirname } from 'node:path'
import type { ImportOptions, ImportResult, JobFile } from '../../src/index.ts'
import { ceilingFor, priceOf } from '../ceilings.ts'
import { withProgress } from '../follow-job.ts'
import { shellWord } from '../options.ts'
import type { Session } from '../session.ts'
import { printable } from '../terminal/output.ts'
import { download, type RemoteFile } from './download.ts'
import { save, splitName, type Target } from './save.ts'

/**
 * Saves the media of an import, and all files beside it under the name that it got: `Talk (2).mp4` and `Talk (2).en.vtt`.
 * Resolves with their paths. A stream gets the media alone, and has no path.
 */
export const saveFiles = (session: Session, target: Target, result: ImportResult): Promise<string[]> => {
  const { mediaUrl: url, fileSizeBytes: sizeBytes, sha256, filename, files = [] } = result
  const { signal } = session
  return withProgress(session, 'saving', async (onProgress) => {
    const saveFile = (to: Target, name: string, file: RemoteFile) =>
      save(to, name, (write) => download(file, write, { signal, onProgress }))
    const path = await saveFile(target, filename, { url, sizeBytes, sha256 })
    if (path === null || target.kind === 'stream') return []
    const paths = [path]
    const folder = { kind: 'folder', path: dirname(path), mayReplace: target.mayReplace } as const
    for (const file of files) {
      if (file.kind === 'media' || !file.url || !file.filename) continue
      const name = splitName(basename(path)).stem + suffixOf(file.filename, filename)
      paths.push((await saveFile(folder, name, { url: file.url })) ?? name)
    }
    return paths
  })
}

/** `.en.vtt` of `Talk.en.vtt` beside `Talk.mp4`. */
const suffixOf = (filename: string, media: string): string => {
  const { stem } = splitName(media)
  return filename.startsWith(stem) ? filename.slice(stem.length) : `.${filename}`
}

const reasons: Record<string, string> = {
  NOT_AT_SOURCE: 'The source has none.',
  NO_AUDIO: 'The media has no sound.',
  NO_SPEECH: 'There is no speech in it.',
}

/** `No captions (de): The source has none. (NOT_AT_SOURCE)` */
export const missingLines = (
  jobId: string,
  { files = [] }: ImportResult,
  transcribe: ImportOptions['transcribe'],
): string[] => {
  const again = ['haul', 'transcribe', jobId, ...flagsOf(transcribe)].join(' ')
  const missing = files.filter(({ status }) => status !== 'completed')
  const lines = missing.flatMap((file) => [sentenceAbout(file), ...nextStep(again, file)])
  return lines.length > 0 ? [...lines, 'Nothing was charged for what is missing.'] : []
}

const sentenceAbout = ({ kind, language, code = '', message = '', quote }: JobFile): string => {
  const reason = quote ? `To recognize the speech costs ${priceOf(quote)}.` : (reasons[code] ?? message)
  return printable(`No ${kind}${language ? ` (${language})` : ''}: ${reason} (${code})`)
}

const flagsOf = ({ provider, language }: ImportOptions['transcribe'] & object = {}): string[] =>
  Object.entries({ provider, language }).flatMap(([name, value]) => (value ? [`--${name}`, shellWord(value)] : []))

/** The words alone: the media is stored, and not downloaded again. */
const nextStep = (again: string, { kind, retryable, quote }: JobFile): string[] => {
  if (quote) return [`  Run: ${again} --mode speech --max-cost ${ceilingFor(quote)}`]
  if (!retryable) return []
  return [kind === 'transcript' ? `  Run: ${again}` : '  Another attempt may succeed.']
}
