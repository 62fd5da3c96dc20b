import type { StorageClass } from './bucket.ts'

/** Where a bucket is and what opens it. Checked by bucket.ts before. */
export interface BucketSettings {
  endpoint: string
  region: string
  bucket: string
  accessKeyId: string
  secretAccessKey: string
  /** `https://host/bucket/key` rather than `https://bucket.host/key`. */
  pathStyle: boolean
}

/** An account's bucket, as its owner configured it. The whole of it is sealed at rest. */
export interface StorageSettings extends BucketSettings {
  storageClass: StorageClass | null
  pathPrefix: string | null
}

/** What of it may be shown again. Its access key is cut short, its secret is not there. */
export type ShownStorage = Omit<StorageSettings, 'secretAccessKey'>

export interface KeptStorage {
  shown: ShownStorage
  updatedAt: number
}

/** The name of its credential, which its seal is bound to. */
export const STORAGE_RECORD = 'storage'

export const shownStorage = ({ secretAccessKey: _, accessKeyId, ...rest }: StorageSettings): ShownStorage => ({
  ...rest,
  accessKeyId: keyPreview(accessKeyId),
})

/** Enough of a key to know it by. A short one shows less, so that what is hidden stays most of it. */
const keyPreview = (key: string): string => {
  const shown = Math.min(4, Math.floor(key.length / 4))
  return `${key.slice(0, shown)}…${shown === 0 ? '' : key.slice(-shown)}`
}
