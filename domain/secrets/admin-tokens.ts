export interface AdminToken {
  name: string
  token: string
}

/** The name of ADMIN_TOKEN. */
export const FIRST_ADMIN = 'admin'

/** Shorter than any token, so that an error never prints a token that was written in the name's place. */
const NAME = /^[a-z0-9-]{1,15}$/
/** RFC 6750: what a bearer token consists of. */
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/
const MIN_LENGTH = 16

/** Reads ADMIN_TOKENS: `name:token,name:token`. An error names the entry, and never contains a token. */
export const parseAdminTokens = (text: string): AdminToken[] => {
  const entries = text.split(',').map((entry) => entry.trim())
  const tokens = entries.flatMap((entry, index) => (entry === '' ? [] : parseEntry(entry, index + 1)))
  for (const [index, { name, token }] of tokens.entries()) {
    const earlier = tokens.slice(0, index)
    if (name === FIRST_ADMIN) throw new Error(`ADMIN_TOKENS: ${FIRST_ADMIN} is the name of ADMIN_TOKEN`)
    if (earlier.some((other) => other.name === name)) throw new Error(`ADMIN_TOKENS: there are two tokens for ${name}`)
    const same = earlier.find((other) => other.token === token)
    if (same) throw new Error(`ADMIN_TOKENS: ${same.name} and ${name} have the same token`)
  }
  return tokens
}

const parseEntry = (entry: string, position: number): AdminToken => {
  const at = entry.indexOf(':')
  const name = entry.slice(0, at)
  const token = entry.slice(at + 1)
  if (at === -1 || !NAME.test(name)) {
    const rule = 'name:token, with a name of at most 15 characters of a-z, 0-9 and -'
    throw new Error(`ADMIN_TOKENS: entry ${position} must be ${rule}`)
  }
  if (!TOKEN.test(token)) throw new Error(`ADMIN_TOKENS: the token of ${name} has characters that a header cannot send`)
  if (token.length < MIN_LENGTH) {
    throw new Error(`ADMIN_TOKENS: the token of ${name} has fewer than ${MIN_LENGTH} characters`)
  }
  return { name, token }
}
