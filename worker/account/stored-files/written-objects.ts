import { thumbnailBeside } from '../../../domain/media/media-keys.ts'
import type { AccountRows } from '../account-rows.ts'
import { changeMedia } from '../due/due-rows.ts'
import type { JobRow, WrittenObject } from '../jobs/job-rows.ts'

/**
 * An object is noted before its first byte. A failed attempt discards its own objects, and the end of the job discards
 * the rest, except for the result. The note of the media is also that of its thumbnail.
 */
export const noteObject = (job: JobRow, key: string, uploadId: string | null): void => {
  if (job.objects.some((object) => thumbnailBeside(object.key) === key)) return
  // A container that got no answer asks again, and starts another upload of the object. Either may be the one that it uses.
  if (job.objects.some((object) => object.key === key && object.uploadId === uploadId)) return
  job.objects = [...job.objects, { key, uploadId, isKept: false }]
}

/** Keeps an object until the job ends. The note may precede the object, if a later step writes it. */
export const keepObject = (job: JobRow, key: string): void => {
  const noted = notesOf(job, key)
  const kept = noted.length > 0 ? noted : [{ key, uploadId: null }]
  job.objects = [...without(job, key), ...kept.map((object) => ({ ...object, isKept: true }))]
}

export const releaseObject = ({ sql }: AccountRows, job: JobRow, key: string, now: number): void => {
  const started = notesOf(job, key).filter(({ uploadId }) => uploadId !== null)
  job.objects = without(job, key)
  if (started.length < 2) return
  // To abort the one that was completed changes nothing.
  const objects = started.map(({ uploadId }) => ({ key, uploadId, isObjectKept: true }))
  changeMedia(sql, { kind: 'discard', objects }, now)
}

export const discardObjects = (
  { sql }: AccountRows,
  job: JobRow,
  which: 'of this attempt' | 'all',
  now: number,
): void => {
  const objects = which === 'all' ? job.objects : job.objects.filter(({ isKept }) => !isKept)
  if (objects.length === 0) return
  const thumbnails = objects.flatMap(({ key }) => thumbnailBeside(key) ?? [])
  const discarded = [...objects, ...thumbnails.map((key) => ({ key, uploadId: null }))]
  changeMedia(sql, { kind: 'discard', objects: discarded.map(({ key, uploadId }) => ({ key, uploadId })) }, now)
  job.objects = job.objects.filter((object) => !objects.includes(object))
}

const notesOf = ({ objects }: JobRow, key: string): WrittenObject[] => objects.filter((object) => object.key === key)

const without = ({ objects }: JobRow, key: string): WrittenObject[] => objects.filter((object) => object.key !== key)
