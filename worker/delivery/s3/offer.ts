import { patiently } from './patience.ts'
import { BucketRefusal } from './refusal.ts'
import type { Run } from './run.ts'

/** Checksums first; without them for servers that know no such header. */
export const offering = async <T>({ runtime }: Run, act: (checksums: boolean) => Promise<T>): Promise<T> => {
  try {
    return await patiently(runtime, runtime.signal, () => act(true))
  } catch (error) {
    const unknown = error instanceof BucketRefusal && error.code === 'STORAGE_REFUSED'
    if (!unknown || ![400, 501].includes(error.status)) throw error
    return await patiently(runtime, runtime.signal, () => act(false))
  }
}
