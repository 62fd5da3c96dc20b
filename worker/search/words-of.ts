import type { IndexSize } from '../account/search/search-state.ts'

/** Beside each account, because its object holds the money and has one thread. */
export const wordsOf = (env: Env, accountId: string) => env.WORDS.getByName(accountId)

export const updateWords = async (env: Env, accountId: string, jobId: string): Promise<IndexSize> => {
  for (;;) {
    const { isDone, bytes, passages, isFull } = await wordsOf(env, accountId).update(jobId)
    if (isDone) return { bytes, passages, isFull }
  }
}
