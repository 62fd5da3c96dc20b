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

export const shownStorage = ({ secretAccessKey: _, accessKeyId, ...rest }: StorageSettings): ShownStorage => ({
  ...rest,
  accessKeyId: keyPreview(accessKeyId),
})

/** The first and last characters. A short key shows fewer, so that most of it stays hidden. */
const keyPreview = (key: string): string => {
  const shown = Math.min(4, Math.floor(key.length / 4))
  return `${key.slice(0, shown)}…${shown === 0 ? '' : key.slice(-shown)}`
}
