import { readFile, writeFile } from 'node:fs/promises'

/** Constants of elf.h. All structures are those of a 64-bit, little-endian file. */
const PT_LOAD = 1
const PT_DYNAMIC = 2
const DT_NEEDED = 1n
const DT_STRTAB = 5n
const DT_VERNEED = 0x6ffffffen
const DT_VERNEEDNUM = 0x6fffffffn

/**
 * Removes shared libraries from those that an ELF file loads at its start. Their functions are looked up when they are first
 * called, which then ends the program. Fails to start if the file refers to their variables.
 *
 * @param {string} path
 * @param {(library: string) => boolean} isNeeded
 */
export const removeLibraries = async (path, isNeeded) => {
  const file = await readFile(path)
  const segments = Array.from({ length: file.readUInt16LE(56) }, (_, i) =>
    segmentAt(file, file.readUInt32LE(32) + 56 * i),
  )
  const offsetOf = (address) => {
    const loaded = segments.find(
      ({ type, start, size }) => type === PT_LOAD && address >= start && address < start + size,
    )
    return Number(address - loaded.start) + loaded.offset
  }
  const dynamic = segments.find(({ type }) => type === PT_DYNAMIC)
  const entries = Array.from({ length: Number(dynamic.size) / 16 }, (_, i) => entryAt(file, dynamic.offset + 16 * i))
  const dynamicValue = (tag) => entries.find((entry) => entry.tag === tag)?.value
  const strings = offsetOf(dynamicValue(DT_STRTAB))
  const isRemoved = (name) => {
    const start = strings + Number(name)
    return !isNeeded(file.toString('latin1', start, file.indexOf(0, start)))
  }
  const versions = dynamicValue(DT_VERNEED)
  const kept = entries.filter(({ tag, value }) => tag !== DT_NEEDED || !isRemoved(value))
  const count = versions === undefined ? 0 : unlinkVersions(file, offsetOf(versions), isRemoved)
  entries.fill({ tag: 0n, value: 0n })
  for (const [i, { tag, value }] of [...kept, ...entries].slice(0, entries.length).entries()) {
    file.writeBigUInt64LE(tag, dynamic.offset + 16 * i)
    file.writeBigUInt64LE(tag === DT_VERNEEDNUM ? BigInt(count) : value, dynamic.offset + 16 * i + 8)
  }
  await writeFile(path, file)
}

/** Elf64_Phdr */
const segmentAt = (file, at) => ({
  type: file.readUInt32LE(at),
  offset: Number(file.readBigUInt64LE(at + 8)),
  start: file.readBigUInt64LE(at + 16),
  size: file.readBigUInt64LE(at + 32),
})

/** Elf64_Dyn */
const entryAt = (file, at) => ({ tag: file.readBigUInt64LE(at), value: file.readBigUInt64LE(at + 8) })

/** The list of the versions that a file needs of each library (Elf64_Verneed). Returns how many libraries are left in it. */
const unlinkVersions = (file, first, isRemoved) => {
  let last = null
  let count = 0
  for (let at = first, next = -1; next !== 0; at += next) {
    next = file.readUInt32LE(at + 12)
    if (!isRemoved(file.readUInt32LE(at + 4))) {
      if (last !== null) file.writeUInt32LE(at - last, last + 12)
      last = at
      count++
    }
  }
  file.writeUInt32LE(0, last + 12)
  return count
}
