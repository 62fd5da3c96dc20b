import { expect, test } from 'vitest'
import { foundText, importOf, pageOf, resultTitle } from '../../../../console/assets/search/result-facts.js'

const media = 'https://haul.example/media/imp_2/a%20talk.mp4?expires=1&signature=1.x#t=754.2'
const youtube = 'https://www.youtube.com/watch?v=1'

test.each([
  ['an import', 'imp_1', `${youtube}&t=754`, 'imp_1'],
  ['a transcript of an import', 'trn_1', media, 'imp_2'],
  ['a transcript of a page', 'trn_1', `${youtube}&t=754`, null],
  ['a transcript of an upload', 'trn_1', null, null],
])('the file of %s is that of its import', (_, jobId, link, importId) =>
  expect(importOf({ jobId, link })).toBe(importId),
)

test.each([
  ['at its time', `${youtube}&t=754`, youtube, `${youtube}&t=754`],
  ['itself, if the link is to the file', media, 'https://example.com/talk', 'https://example.com/talk'],
  ['none, of an upload', null, null, null],
  ['none, if it cannot be opened', null, 'javascript:alert(1)', null],
])('the page of a result is the page %s', (_, link, url, page) => expect(pageOf({ link, url })).toBe(page))

test.each([
  ['A talk', youtube, 'A talk'],
  [null, 'https://example.com/talks/one.mp4', 'one.mp4'],
  [null, 'https://example.com/', 'example.com'],
  [null, null, 'A file'],
])('a result with the title %j of %j is called "%s"', (title, url, name) =>
  expect(resultTitle({ title, url })).toBe(name),
)

test.each([
  [0, false, 'Nothing found'],
  [1, false, 'One result'],
  [20, false, '20 results'],
  [20, true, 'The first 20 results'],
  [1, true, 'The first result'],
])('%i results, with more after them: %s, are headed "%s"', (count, hasMore, text) =>
  expect(foundText(count, hasMore)).toBe(text),
)
