import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The files of a product, which may be running, in which one of the texts occurs. SQLite stores texts as they are. */
export const filesWith = async (folder: string, texts: readonly (string | RegExp)[]): Promise<string[]> => {
  const found: string[] = []
  const paths = await filesBelow(folder)
  // Otherwise nothing has been searched.
  if (!paths.some((path) => path.endsWith('.sqlite'))) throw new Error(`${folder} has no database`)
  for (const path of paths) {
    const written = await readFile(path, 'latin1').catch(nothingIfRemoved)
    if (texts.some((text) => (typeof text === 'string' ? written.includes(text) : text.test(written)))) found.push(path)
  }
  return found
}

/** Paths of files in the folder and in the folders below it. */
export const filesBelow = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}

/** SQLite removes the files of a database that it closes. */
const nothingIfRemoved = (error: NodeJS.ErrnoException): string => {
  if (error.code === 'ENOENT') return ''
  throw error
}
