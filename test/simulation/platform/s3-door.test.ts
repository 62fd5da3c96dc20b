import { expect, test } from 'vitest'
import { Clock } from '../clock.ts'
import { VirtualBody } from './http-message.ts'
import { R2Store } from './r2.ts'
import { s3Door } from './s3-door.ts'

test('a presigned URL stores a file by its size until it expires', () => {
  const clock = new Clock()
  const store = new R2Store(clock)
  const door = s3Door(clock, store, 'bucket')
  const url = new URL('https://s3.test/bucket/a%20key?X-Amz-Date=20261102T000000Z&X-Amz-Expires=60')
  const put = { method: 'PUT', url, headers: new Headers(), body: new VirtualBody(5_000_000_000, 'film'), signal: null }
  expect(door(put).status).toBe(200)
  expect(store.keys()).toEqual(['a key'])
  const get = { ...put, method: 'GET', headers: new Headers({ range: 'bytes=0-9' }), body: null }
  expect(door(get)).toMatchObject({ status: 206, headers: { 'content-range': 'bytes 0-9/5000000000' } })
  clock.now += 60_000
  expect(door(put).status).toBe(403)
})
