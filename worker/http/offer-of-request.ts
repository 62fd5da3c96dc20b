import type { Context } from 'hono'
import { type Offer, offerOf, wholeOfferOf } from '../fleet/offered-models.ts'
import type { HttpEnv } from './request-context.ts'

/** The models that the request may name. The fleet is asked once, however many parts of the request need to know. */
export const offerFor = async (c: Context<HttpEnv>, { asksEngine = false } = {}): Promise<Offer> => {
  const { accountId } = c.get('caller')
  const known = c.get('offer') ?? (await offerOf(c.env, accountId))
  const offer = asksEngine && !known.isWhole ? await wholeOfferOf(c.env, accountId) : known
  c.set('offer', offer)
  return offer
}
