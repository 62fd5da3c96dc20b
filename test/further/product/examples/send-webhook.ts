import { Webhook } from 'standardwebhooks'

/** Sends an event as Haul does, and resolves with the status of the response. */
export const sendWebhook = async (
  url: string,
  { id, event, secret }: { id: string; event: object; secret: string },
): Promise<number> => {
  const body = JSON.stringify(event)
  const at = new Date()
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': `${Math.floor(at.getTime() / 1000)}`,
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  }
  return (await fetch(url, { method: 'POST', headers, body })).status
}

/** A secret that is not the account's. */
export const forgedSecret = `whsec_${Buffer.from('a guess of a secret').toString('base64')}`
