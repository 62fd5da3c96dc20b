import { recognizedPieceKey } from '../../domain/media/media-keys.ts'
import { type Turn, Turns } from '../../domain/words/speaker-turns.ts'
import type { RecognizedAudio } from '../speech/recognition.ts'
import type { PieceStore } from '../speech/recognize-slice.ts'

/**
 * Pieces of audio in R2, each with its result in an object beside it. The state is in that object's metadata, so that
 * reading the state does not read the result.
 */
export const pieceStore = (bucket: R2Bucket): PieceStore => ({
  openAudio: async ({ key }) => {
    const object = await bucket.get(key)
    if (!object) throw new Error(`the piece of audio ${key} is gone`)
    return object.body
  },
  readState: async ({ key }) => {
    const found = await bucket.head(recognizedPieceKey(key))
    return (
      found && {
        isRecognized: found.customMetadata?.heard === 'yes',
        providerJobId: found.customMetadata?.providerJobId ?? null,
      }
    )
  },
  save: async ({ key }, { isRecognized, providerJobId }, recognized) => {
    await bucket.put(recognizedPieceKey(key), recognized ? JSON.stringify(recognized) : '', {
      customMetadata: { heard: isRecognized ? 'yes' : 'no', ...(providerJobId ? { providerJobId } : {}) },
    })
  },
  readRecognized: async ({ key }) => {
    const object = await bucket.get(recognizedPieceKey(key))
    if (!object) throw new Error(`the result of ${key} is gone`)
    return object.json<RecognizedAudio>()
  },
})

/** Who speaks when, as the audio step has stored it. */
export const readTurns = async (bucket: R2Bucket, key: string): Promise<Turn[]> => {
  const object = await bucket.get(key)
  if (!object) throw new Error(`the turns ${key} are gone`)
  return Turns.parse(await object.json()).turns
}
