import { boxInFile, type FileBox } from '../../index/mp4/movie.ts'
import { type FileRange, Missing, malformed, type SparseFile } from '../../index/sparse-file.ts'

/** Real files have about five. */
const maxBoxes = 64
const headerBytes = 16
/** After the media data there is mostly the index. */
const aheadBytes = { index: 256 * 1024, other: 4_096 }

/** The boxes of a file, up to the first fragment. The index is fetched together with the headers of those after it. */
export const layoutOf = (file: SparseFile): FileBox[] => {
  const sizeBytes = file.sizeBytes ?? 0
  const boxes: FileBox[] = []
  const index: FileRange[] = []
  for (let at = 0; at < sizeBytes; ) {
    const last = boxes.at(-1)
    const ahead = last?.type === 'mdat' && index.length === 0 ? aheadBytes.index : aheadBytes.other
    if (!file.has({ start: at, end: Math.min(at + headerBytes, sizeBytes) })) {
      throw new Missing([...index, { start: at, end: Math.min(at + ahead, sizeBytes) }])
    }
    const box = boxInFile(file, at)
    if (!box || boxes.length === maxBoxes) throw malformed('file')
    if (box.type === 'moof') break
    boxes.push(box)
    const range = { start: box.at, end: box.end }
    if (box.type === 'moov' && !file.has(range)) index.push(range)
    at = box.end
  }
  file.require(index)
  return boxes
}
