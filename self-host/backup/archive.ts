import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { create, extract } from 'tar'
import { manifestName } from './manifest.ts'

/** A tar archive of a snapshot, with the manifest first. */
export const archiveOf = (snapshot: string): Readable =>
  Readable.from(create({ cwd: snapshot, noMtime: true }, [manifestName, 'state']) as AsyncIterable<Buffer>)

/** Only plain files and folders of a backup. An archive that is damaged or cut off fails. */
export const unpack = async (archive: NodeJS.ReadableStream, folder: string): Promise<void> => {
  const isPart = (path: string): boolean => path === manifestName || /^state(\/|$)/.test(path)
  const unpacking = extract({
    cwd: folder,
    strict: true,
    preserveOwner: false,
    filter: (path, entry) => isPart(path) && 'type' in entry && /^(File|Directory)$/.test(entry.type),
  })
  await pipeline(archive, unpacking as unknown as NodeJS.WritableStream)
}
