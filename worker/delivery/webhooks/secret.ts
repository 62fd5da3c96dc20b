/** CryptoKey is a type to the Workers runtime and only a value to Node's types. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>

/**
 * `whsec_` and 32 bytes in base64, made of the deployment's key, the account and a seed of the account: who
 * reads the account's storage can sign nothing, and nothing secret needs to be sealed or sent.
 */
export const secretOf = async (key: Key, accountId: string, seed: string): Promise<string> => {
  const bytes = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(`${accountId}.${seed}`))
  return `whsec_${toBase64(bytes)}`
}

export const toBase64 = (bytes: ArrayBuffer): string => btoa(String.fromCharCode(...new Uint8Array(bytes)))
