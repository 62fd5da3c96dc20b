import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Uploaded } from '../../../domain/protocol/protocol.ts'
import type { OutputFile } from '../../media/copy-streams.ts'
import { extractThumbnail, platformThumbnail } from '../../media/thumbnail.ts'
import type { Source } from '../../source/source.ts'
import type { DownloadedFiles } from '../download/download-renditions.ts'
import type { StepContext } from '../step.ts'
import { completeFile, uploadFile } from '../upload/upload-file.ts'

/** Runs in parallel with the download. null if the platform has no usable image: the import does not need it. */
export const importPlatformThumbnail = async (
  { thumbnailUrl }: Source,
  context: StepContext,
): Promise<Uploaded | null> => {
  const { egress, workDir, signal } = context
  const path = thumbnailUrl && (await platformThumbnail(thumbnailUrl, egress, workDir, signal).catch(() => null))
  return path ? uploadComplete('thumbnail', path, 'image/jpeg', context) : null
}

export const uploadMedia = async (
  output: OutputFile,
  { files, earlyUpload }: Pick<DownloadedFiles, 'files' | 'earlyUpload'>,
  context: StepContext,
): Promise<Uploaded> => {
  const isDownload = files[0]?.spool.path === output.probed.path
  if (earlyUpload && isDownload && earlyUpload.contentType === output.contentType) return earlyUpload.uploaded
  await earlyUpload?.cancel()
  return uploadComplete('media', output.probed.path, output.contentType, context)
}

export const uploadFrame = async ({ probed }: OutputFile, context: StepContext): Promise<Uploaded | null> => {
  const path = await extractThumbnail(probed, context.workDir, context.signal)
  return path === null ? null : uploadComplete('thumbnail', path, 'image/jpeg', context)
}

const uploadComplete = async (
  kind: 'media' | 'thumbnail',
  path: string,
  contentType: string,
  { worker, signal }: StepContext,
): Promise<Uploaded> => {
  const file = await completeFile(path)
  return uploadFile(file, { kind, contentType, sizeBytes: file.prefixBytes }, worker, signal)
}

/** The spool's hash if the output is a download, which was hashed while it was received. */
export const hashOutput = async (
  { probed }: OutputFile,
  { files }: Pick<DownloadedFiles, 'files'>,
): Promise<string> => {
  const spool = files.find((file) => file.spool.path === probed.path)?.spool
  return (await spool?.sha256()) ?? hashFile(probed.path)
}

const hashFile = async (path: string): Promise<string> => {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash)
  return hash.digest('hex')
}
