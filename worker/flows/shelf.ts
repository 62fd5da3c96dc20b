import { heardKey } from '../domain/media/media-keys.ts'
import type { Heard, Shelf } from '../speech/recognize.ts'

/**
 * Pieces of audio and what was heard of them, side by side in the bucket. How far a piece is stands in its
 * note's metadata, so that asking for it reads no words.
 */
export const shelfOf = (bucket: R2Bucket): Shelf => ({
  open: async ({ key }) => {
    const object = await bucket.get(key)
    if (!object) throw new Error(`the piece of audio ${key} is gone`)
    return object.body
  },
  note: async ({ key }) => {
    const found = await bucket.head(heardKey(key))
    return (
      found && {
        isHeard: found.customMetadata?.heard === 'yes',
        providerJobId: found.customMetadata?.providerJobId ?? null,
      }
    )
  },
  keep: async ({ key }, { isHeard, providerJobId }, heard) => {
    await bucket.put(heardKey(key), heard ? JSON.stringify(heard) : '', {
      customMetadata: { heard: isHeard ? 'yes' : 'no', ...(providerJobId ? { providerJobId } : {}) },
    })
  },
  heard: async ({ key }) => {
    const object = await bucket.get(heardKey(key))
    if (!object) throw new Error(`what was heard of ${key} is gone`)
    return object.json<Heard>()
  },
})
