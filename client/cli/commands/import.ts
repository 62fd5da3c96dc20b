import type { Command } from 'commander'
import type { ImportOptions, ImportResult } from '../../src/index.ts'
import { download } from '../files/download.ts'
import { save, type Target, targetOf } from '../files/save.ts'
import { followJob, printStarted, withProgress } from '../follow-job.ts'
import { addStartFlags, type StartCommandOptions, startFields } from '../options.ts'
import { openSession, type Session } from '../session.ts'
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
    .summary('import the media of a URL and save it')
    .description(
      'Imports the media of a URL and saves it in the current directory. Prints the path of the file. With --json or --store the file is saved only with -o. A job id instead of a URL saves the file of an earlier import.',
    )
    .argument('<url>', 'a page, a media file, or a job id (imp_…)')
    .option('-o, --output <file>', 'save it as this file, in this folder, or - for stdout')
    .option('-f, --force', 'overwrite an existing file')
  return addStartFlags(command, 'import')
    .option('--no-wait', 'print the job id and leave the job running')
    .addHelpText('after', '\nExample:\n  haul import https://example.com/talk.mp4 --quality 720p -o talk.mp4')
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
  const result = await followJob<ImportResult>(session, jobId, { isOwn: started !== undefined })
  const path = target && (await saveMedia(session, target, result))
  if (options.json) return printJson(await haul.jobs.get(jobId))
  session.note(factsOf(jobId, result))
  if (path) await printLine(path)
  else if (!target) await printLine(printable(result.mediaUrl))
}

const importFields = (options: Options, target: Target | undefined): ImportOptions => {
  const given = startFields('import', options).import
  // Only the link of the service can be downloaded without the keys of the bucket.
  return { ...given, ...(given.store === true && { storageReturnLocation: target === undefined }) }
}

const saveMedia = (session: Session, target: Target, result: ImportResult): Promise<string | null> => {
  const { mediaUrl: url, fileSizeBytes: sizeBytes, sha256, filename } = result
  return withProgress(session, 'saving', (onProgress) =>
    save(target, filename, (write) =>
      download({ url, sizeBytes, sha256 }, write, { signal: session.signal, onProgress }),
    ),
  )
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
