import { ADMIN_TOKEN, PUBLIC_URL, type World } from '../world.ts'

/** Who runs the service. */

export const operate = (world: World, method: string, path: string, body?: object): Promise<Response> =>
  world.request(`${PUBLIC_URL}${path}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })

export interface NewAccount {
  accountId: string
  apiKey: string
}

export const openAccount = async (world: World, name: string, creditDollars: number): Promise<NewAccount> => {
  const response = await operate(world, 'POST', '/admin/accounts', { name, creditDollars })
  const text = await response.text()
  if (response.status >= 300) throw new Error(`${response.status} ${text}`)
  return JSON.parse(text).data
}
