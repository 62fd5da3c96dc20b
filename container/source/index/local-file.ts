import { type FileHandle, open } from 'node:fs/promises'
import type { FileRange } from './file-ranges.ts'
import type { PartlyKnownFile } from './remote-file.ts'
import type { FilePart } from './sparse-file.ts'

/** All that has been read is sent to the reader process again with each question, so it is limited. */
const MAX_BYTES = 32_000_000
const MAX_READS = 200_000

/** A file on the disk, whose parts are read into memory as they are asked for. */
export const openLocalFile = (path: string, sizeBytes: number): PartlyKnownFile => {
  const parts: FilePart[] = []
  let leftBytes = MAX_BYTES
  const readOne = async (file: FileHandle, { start, end }: FileRange): Promise<void> => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start)
    parts.push({ start, bytes: buffer.subarray(0, bytesRead) })
    leftBytes -= bytesRead
  }
  return {
    known: { sizeBytes, parts },
    get budget() {
      return { bytes: leftBytes, requests: MAX_READS }
    },
    fetch: async (ranges) => {
      const file = await open(path)
      try {
        for (const range of ranges) await readOne(file, range)
      } finally {
        await file.close()
      }
    },
    canFetchAll: false,
    fetchAll: async () => {},
  }
}
