import { describe, expect, test } from 'vitest'
import { feedOfPage } from '../../../../container/source/follow/feed-of-page.ts'

const url = 'https://site.example/blog/'
const feedOf = (html: string) =>
  feedOfPage({ bytes: new Uint8Array(Buffer.from(html)), contentType: 'text/html; charset=utf-8', url })
const link = (href: string, more = '', type = 'application/rss+xml') =>
  `<link rel="alternate" type="${type}" href="${href}" ${more}>`
const page = (head: string) => `<!doctype html><html><head>${head}</head><body>Text</body></html>`

describe('the feed of a page', () => {
  test.each([
    ['is that of its link', link('/feed.xml'), 'https://site.example/feed.xml'],
    ['may be Atom', link('feed', '', 'Application/Atom+XML; charset=utf-8'), 'https://site.example/blog/feed'],
    ['is relative to the base', `<base href="/other/">${link('feed')}`, 'https://site.example/other/feed'],
    ['is the first of several', link('/a') + link('/b'), 'https://site.example/a'],
    ['may have entities in its URL', link('/?a=1&amp;feed=rss2'), 'https://site.example/?a=1&feed=rss2'],
    ['is not that of comments, by its URL', link('/comments/feed/') + link('/feed/'), 'https://site.example/feed/'],
    ['is not that of comments, by its query', link('/?feed=comments-rss2') + link('/f'), 'https://site.example/f'],
    [
      'is not that of comments, by its title',
      link('/c', 'title="Site &raquo; Comments Feed"') + link('/f'),
      'https://site.example/f',
    ],
    ['is on the web', link('feed:x') + link('javascript:alert(1)') + link('/f'), 'https://site.example/f'],
    [
      'may have attributes without quotes',
      '<LINK REL=alternate TYPE=application/rss+xml HREF=/f>',
      'https://site.example/f',
    ],
    [
      'may have one of several relations',
      `<link href='/f' type='application/rss+xml' rel='home  Alternate'/>`,
      'https://site.example/f',
    ],
    ['is not in a comment', `<!-- ${link('/old')} -->${link('/f')}`, 'https://site.example/f'],
    ['is not in a script', `<script>"${link('/old')}"</script><style></style>${link('/f')}`, 'https://site.example/f'],
  ])('%s', (_, head, expected) => expect(feedOf(page(head))).toBe(expected))

  test.each([
    ['no link', '<title>A page</title>'],
    ['links of other types', link('/e', '', 'application/json+oembed') + link('/', '', 'text/html')],
    ['links of other relations', '<link rel="stylesheet" type="application/rss+xml" href="/f">'],
    ['no URL', '<link rel="alternate" type="application/rss+xml">'],
    ['a comment that does not end', `<!-- ${link('/f')}`],
    ['a script that does not end', `<script>${link('/f')}`],
  ])('is none if it has %s', (_, head) => expect(feedOf(page(head))).toBeNull())
})

test.each([
  ['links that do not end', '<link '],
  ['links of one character', '<link a'],
  ['quotes', `<link href="a" b='`],
  ['bases', '<base href=x>'],
  ['comments', '<!--'],
  ['scripts', '<script>'],
  ['closing scripts', '<script></script>'],
])('a page of %s names no feed', (_, part) => expect(feedOf(part.repeat(1_000_000 / part.length))).toBeNull())
