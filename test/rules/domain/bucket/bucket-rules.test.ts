import { describe, expect, test } from 'vitest'
import {
  accessKeyIdProblem,
  bucketNameProblem,
  endpointProblem,
  regionProblem,
} from '../../../../domain/bucket/bucket-rules.ts'

describe('a bucket name cannot contain a host', () => {
  test.each(['media', 'my-bucket.of.2026', 'abc', 'x'.repeat(63)])('%s is valid', (name) =>
    expect(bucketNameProblem(name)).toBeNull(),
  )

  test.each([
    '',
    'ab',
    'x'.repeat(64),
    'Media',
    'a/b',
    'a@evil.com',
    'evil.com#',
    'evil.com?',
    'evil.com:443',
    'evil.com\\',
    '.evil',
    'evil.',
    '-evil',
    'a..b',
    '127.0.0.1',
    'a b',
    'a%2fb',
    'a\n',
    'büro',
  ])('%j is refused', (name) => expect(bucketNameProblem(name)).not.toBeNull())
})

describe('an endpoint must be a public https server', () => {
  const none = new Set<string>()

  test.each([
    'https://s3.us-east-1.amazonaws.com',
    'https://0123456789abcdef.r2.cloudflarestorage.com',
    'https://s3.example.com:9000/',
    'https://proj.supabase.co/storage/v1/s3',
    'https://8.8.8.8',
    'https://[2606:4700::1111]',
  ])('%s is valid', (endpoint) => expect(endpointProblem(endpoint, none)).toBeNull())

  test.each([
    ['s3.example.com', 'must be a URL such as https://s3.us-east-1.amazonaws.com'],
    ['http://s3.example.com', 'must be an https URL'],
    ['ftp://s3.example.com', 'must be an https URL'],
    ['file:///etc/passwd', 'must be an https URL'],
    ['https://user:pass@s3.example.com', 'must not carry credentials'],
    ['https://s3.example.com?x=1', 'must not carry a query or fragment'],
    ['https://s3.example.com/?', 'must not carry a query or fragment'],
    ['https://s3.example.com#', 'must not carry a query or fragment'],
    ['https://localhost', 'must be a public host'],
    ['https://db.internal', 'must be a public host'],
    ['https://127.1', 'must be a public host'],
    ['https://169.254.169.254', 'must be a public host'],
    ['https://[::ffff:10.0.0.1]', 'must be a public host'],
  ])('%s %s', (endpoint, problem) => expect(endpointProblem(endpoint, none)).toBe(problem))

  test('except for hosts and ports that the operator allows', () => {
    const allowed = new Set(['127.0.0.1:9000', 'minio:80'])
    expect(endpointProblem('http://127.0.0.1:9000', allowed)).toBeNull()
    expect(endpointProblem('http://minio', allowed)).toBeNull()
    expect(endpointProblem('http://127.0.0.1:9001', allowed)).not.toBeNull()
    expect(endpointProblem('https://minio', allowed)).not.toBeNull()
  })
})

test.each([
  ['us-east-1', true],
  ['auto', true],
  ['', false],
  ['us/east', false],
  ['us-east-1\r\nX: y', false],
])('region %j is valid: %s', (region, isValid) => expect(regionProblem(region) === null).toBe(isValid))

test.each([
  ['AKIAIOSFODNN7EXAMPLE', true],
  ['minio-user_1', true],
  ['', false],
  ['a/b', false],
  ['a,b', false],
  ['a b', false],
  ['a\r\nb', false],
])('access key ID %j is valid: %s', (id, isValid) => expect(accessKeyIdProblem(id) === null).toBe(isValid))
