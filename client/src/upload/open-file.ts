import type { FileSource } from '../options.ts'

/** A file whose parts can be read in any order, and again. */
export interface OpenFile {
  name: string
  sizeBytes: number
  read(from: number, to: number): Promise<Blob | Uint8Array<ArrayBuffer>>
  close(): Promise<void>
}

export const openFile = async (file: FileSource): Promise<OpenFile> =>
  typeof file === 'string' ? openPath(file) : openBlob(file)

const openBlob = (blob: Blob): OpenFile => ({
  name: ('name' in blob && String(blob.name)) || 'file',
  sizeBytes: blob.size,
  read: async (from, to) => blob.slice(from, to),
  close: async () => {},
})

const openPath = async (path: string): Promise<OpenFile> => {
  const handle = await fileSystem().open(path)
  const { size } = await handle.stat()
  return {
    name: path.split(/[/\\]/).at(-1) || 'file',
    sizeBytes: size,
    read: async (from, to) => {
      const bytes = new Uint8Array(to - from)
      let length = 0
      while (length < bytes.length) {
        const { bytesRead } = await handle.read(bytes, length, bytes.length - length, from + length)
        if (bytesRead === 0) throw new Error(`${path} has become shorter while it was uploaded.`)
        length += bytesRead
      }
      return bytes
    },
    close: () => handle.close(),
  }
}

/** Not an import, because bundlers for browsers would look for the module. */
const fileSystem = (): typeof import('node:fs/promises') => {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => typeof import('node:fs/promises') }
  }
  const found = process?.getBuiltinModule?.('node:fs/promises')
  if (!found) throw new TypeError('A path can be read in Node, Bun and Deno only. Give a Blob or File.')
  return found
}
