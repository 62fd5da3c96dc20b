import type { FileSource } from '../options.ts'

/** A file whose parts can be read in any order, and again. */
export interface OpenFile {
  name: string
  sizeBytes: number
  read(from: number, to: number): Promise<Blob | Uint8Array<ArrayBuffer>>
  close(): Promise<void>
}

export const openFile = (file: FileSource): Promise<OpenFile> =>
  typeof file === 'string' ? openPath(file) : Promise.resolve(openBlob(file))

const openBlob = (blob: Blob): OpenFile => ({
  name: ('name' in blob && String(blob.name)) || 'file',
  sizeBytes: blob.size,
  read: async (from, to) => blob.slice(from, to),
  close: async () => {},
})

const openPath = async (path: string): Promise<OpenFile> => {
  const { open } = await loadFileSystem()
  const handle = await open(path)
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

/** The name is a variable, so that bundlers for browsers do not look for the module. */
const loadFileSystem = async (): Promise<typeof import('node:fs/promises')> => {
  const name = 'node:fs/promises'
  try {
    return await import(/* @vite-ignore */ /* webpackIgnore: true */ name)
  } catch (cause) {
    throw new TypeError('A path can be read in Node, Bun and Deno only. Give a Blob or File.', { cause })
  }
}
