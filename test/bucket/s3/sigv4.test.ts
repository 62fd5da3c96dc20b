import { AwsV4Signer } from 'aws4fetch'
import { describe, expect, test } from 'vitest'
import { canonicalRequest, type Scope, signatureOf, sigV4Problem, type WireRequest } from '../../doubles/s3/sigv4.ts'

/** The signature check that other tests rely on, tested with the examples that Amazon published. */
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

interface Example {
  name: string
  method: string
  target: string
  headers: Record<string, string>
  payloadHash: string
  signature: string
}

const signed = (
  { method, target, headers, payloadHash }: Example,
  secret: string,
  at: string,
  scope: Scope,
): string => {
  const request: WireRequest = { method, target, headers, body: new Uint8Array() }
  return signatureOf(canonicalRequest(request, Object.keys(headers).sort(), payloadHash), secret, at, scope)
}

/** docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
describe('the examples of the S3 documentation', () => {
  const host = 'examplebucket.s3.amazonaws.com'
  const time = '20130524T000000Z'
  const base = { host, 'x-amz-content-sha256': EMPTY, 'x-amz-date': time }
  const welcome = '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072'
  const examples: Example[] = [
    {
      name: 'GET an object by range',
      method: 'GET',
      target: '/test.txt',
      headers: { ...base, range: 'bytes=0-9' },
      payloadHash: EMPTY,
      signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    },
    {
      name: 'PUT an object',
      method: 'PUT',
      target: '/test%24file.text',
      headers: {
        ...base,
        'x-amz-content-sha256': welcome,
        date: 'Fri, 24 May 2013 00:00:00 GMT',
        'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      },
      payloadHash: welcome,
      signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    },
    {
      name: 'GET a bucket’s lifecycle',
      method: 'GET',
      target: '/?lifecycle',
      headers: base,
      payloadHash: EMPTY,
      signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    },
    {
      name: 'GET a bucket’s list',
      method: 'GET',
      target: '/?max-keys=2&prefix=J',
      headers: base,
      payloadHash: EMPTY,
      signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    },
  ]
  const scope = { date: '20130524', region: 'us-east-1', service: 's3' }

  test.each(examples)('$name gets the published signature', (example) => {
    expect(signed(example, 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', time, scope)).toBe(example.signature)
  })
})

/** The aws-sig-v4-test-suite. */
describe('the test suite of SigV4', () => {
  const headers = { host: 'example.amazonaws.com', 'x-amz-date': '20150830T123600Z' }
  const example = (name: string, method: string, target: string, signature: string): Example => ({
    name,
    method,
    target,
    headers,
    payloadHash: EMPTY,
    signature,
  })
  const scope = { date: '20150830', region: 'us-east-1', service: 'service' }

  test.each([
    example('get-vanilla', 'GET', '/', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'),
    example('post-vanilla', 'POST', '/', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'),
    example(
      'get-vanilla-query-order-key-case',
      'GET',
      '/?Param2=value2&Param1=value1',
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ),
  ])('$name gets the published signature', (row) => {
    expect(signed(row, 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', '20150830T123600Z', scope)).toBe(row.signature)
  })
})

describe('the signature check rejects', () => {
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', region: 'auto' }
  const now = Date.parse('2026-11-21T12:00:00Z')
  const wire = async (): Promise<WireRequest> => {
    const signer = new AwsV4Signer({
      ...credentials,
      service: 's3',
      url: 'https://s3.example.com/media/k',
      method: 'PUT',
      headers: { 'x-amz-content-sha256': EMPTY },
      datetime: '20261121T120000Z',
    })
    const { method, url, headers } = await signer.sign()
    return {
      method,
      target: url.pathname,
      headers: { host: url.host, ...Object.fromEntries(headers) },
      body: new Uint8Array(),
    }
  }

  test('no correct request', async () => {
    expect(sigV4Problem(await wire(), credentials, now)).toBeNull()
  })

  const changes: [string, (request: WireRequest) => void, string][] = [
    ['another method', (r) => Object.assign(r, { method: 'DELETE' }), 'the signature does not match'],
    ['another key', (r) => Object.assign(r, { target: '/media/l' }), 'the signature does not match'],
    [
      'a path in non-canonical form',
      (r) => Object.assign(r, { target: '/media/%6B' }),
      'the path /media/%6B is not in canonical form',
    ],
    ['an added query', (r) => Object.assign(r, { target: '/media/k?acl' }), 'the signature does not match'],
    ['other bytes', (r) => Object.assign(r, { body: new Uint8Array(1) }), 'the payload hash does not match'],
    [
      'an unsigned x-amz header',
      (r) => Object.assign(r.headers, { 'x-amz-acl': 'public-read' }),
      'x-amz-acl is not signed',
    ],
    ['another host', (r) => Object.assign(r.headers, { host: 'evil.example' }), 'the signature does not match'],
  ]
  test.each(changes)('%s', async (_, change, problem) => {
    const request = await wire()
    change(request)
    expect(sigV4Problem(request, credentials, now)).toBe(problem)
  })

  test('a request from yesterday', async () => {
    expect(sigV4Problem(await wire(), credentials, now + 86_400_000)).toBe('the time is wrong')
  })
})
