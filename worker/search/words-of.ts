/** Beside each account, because its object holds the money and has one thread. */
export const wordsOf = (env: Env, accountId: string) => env.WORDS.getByName(accountId)
