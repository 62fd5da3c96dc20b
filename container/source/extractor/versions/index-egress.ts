import { isPublicAddress } from '../../../../domain/addresses.ts'
import { createEgress, type Egress } from '../../../egress/egress.ts'
import { type AddressGuard, createGuard, Forbidden, type Lookup } from '../../../egress/guard.ts'

const HTTPS_PORT = 443

/**
 * Reaches the package index, and one host with files of it. The operator has chosen the index, so it may be in a private
 * network. The index chooses the host of a file: it comes over TLS, and from a private network only if the index is in one.
 */
export const createIndexEgress = (
  index: URL,
  { fileUrl, lookup, signal }: { fileUrl?: string; lookup: Lookup; signal: AbortSignal },
): Egress => {
  const ofIndex = { host: index.hostname.replace(/^\[|\]$/g, ''), port: portOf(index) }
  const file = fileUrl === undefined ? null : URL.parse(fileUrl)
  const ofFile = file && { host: file.hostname.replace(/^\[|\]$/g, ''), port: HTTPS_PORT }
  const publicOnly = createGuard({ lookup })
  const anywhere = createGuard({ lookup, allow: [ofIndex, ofFile].flatMap((each) => entry(each)).join() })
  const addressesOf: AddressGuard['addressesOf'] = async (host, port) => {
    const isIndex = isAt(ofIndex, host, port)
    if (!isIndex && !isAt(ofFile, host, port)) throw new Forbidden('not a host of the package index')
    const index = await anywhere.addressesOf(ofIndex.host, ofIndex.port)
    if (isIndex) return index
    const isPublic = index.every(({ address }) => isPublicAddress(address))
    return (isPublic ? publicOnly : anywhere).addressesOf(host, port)
  }
  return createEgress({ guard: { ...anywhere, addressesOf }, signal })
}

interface Place {
  host: string
  port: number
}

const portOf = ({ port, protocol }: URL): number => Number(port) || (protocol === 'https:' ? HTTPS_PORT : 80)
const entry = (place: Place | null): string[] => (place ? [`${place.host}:${place.port}`] : [])
const isAt = (place: Place | null, host: string, port: number): boolean => place?.host === host && place.port === port
