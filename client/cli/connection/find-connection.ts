import { UsageError } from '../problems.ts'
import { runningCheckout } from './running-checkout.ts'
import { type Connection, connectionIn, loginFile } from './stored-login.ts'

/**
 * Where the API is and with which key: HAUL_API_KEY and HAUL_URL, else a Haul that runs in this checkout, else what
 * `haul login` stored. A stored key is never sent to another address than the one it was stored with.
 */
export const findConnection = async (
  env: NodeJS.ProcessEnv = process.env,
  workingDirectory: string = process.cwd(),
): Promise<Connection> => {
  const { HAUL_API_KEY: apiKey, HAUL_URL: baseUrl } = env
  if (apiKey && baseUrl) return { apiKey, baseUrl }
  const known = [await runningCheckout(workingDirectory, env), await connectionIn(loginFile(env))]
  if (apiKey) {
    const address = known.find((each) => each !== undefined)
    if (!address) throw new UsageError('HAUL_API_KEY is set, and HAUL_URL is missing: the address of Haul.')
    return { baseUrl: address.baseUrl, apiKey }
  }
  const found = known.find((each) => each && (!baseUrl || originOf(baseUrl) === originOf(each.baseUrl)))
  if (found) return found
  throw new UsageError(
    `There is no API key${baseUrl ? ` for ${baseUrl}` : ''}: run \`haul login\` or set HAUL_API_KEY and HAUL_URL, with a key from the operator of your Haul, or run \`npm start\` in a checkout of Haul, which makes one.`,
  )
}

const originOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).origin : null)
