import type { StorageClass } from './bucket-rules.ts'

export interface BucketSettings {
  endpoint: string
  region: string
  bucket: string
  accessKeyId: string
  secretAccessKey: string
  /** `https://host/bucket/key` instead of `https://bucket.host/key`. */
  pathStyle: boolean
}

/** An account's bucket. All of it is sealed at rest. */
export interface StorageSettings extends BucketSettings {
  storageClass: StorageClass | null
  pathPrefix: string | null
}

type ShownStorage = Omit<StorageSettings, 'secretAccessKey'>

export interface KeptStorage {
  shown: ShownStorage
  updatedAt: number
}

/** The name of the credential, which the sealed text is bound to. */
export const STORAGE_RECORD = 'storage'

export const shownStorage = ({ secretAccessKey: _, accessKeyId: key, ...rest }: StorageSettings): ShownStorage => {
  // Of a short key fewer characters are shown, so that most of it stays hidden.
  const shown = Math.min(4, Math.floor(key.length / 4))
  return { ...rest, accessKeyId: `${key.slice(0, shown)}…${shown === 0 ? '' : key.slice(-shown)}` }
}
