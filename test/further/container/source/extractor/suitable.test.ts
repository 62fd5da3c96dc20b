import { expect, test } from 'vitest'
import { inExtractor } from '../../../../container/source/extractor/site.ts'

test('a URL leads to the extractor that accepts it first, as if all of yt-dlp’s were asked in order', async () => {
  const script = `
import json, resolve, suitable
from yt_dlp.extractor import gen_extractor_classes
extractors = [each.real_class for each in gen_extractor_classes()]
def in_order(url):
    return next((each.ie_key() for each in extractors if each.suitable(url)), None)
urls = ['http://127.0.0.1:80/page/video.html', 'HTTPS://EXAMPLE.com/v.m3u8?youtube.com/watch?v=1', 'ytsearch:cats', 'x', '']
for each in extractors:
    tests = [test['url'] for test in each.get_testcases(include_onlymatching=True)]
    urls += tests if suitable.overrides(each, 'suitable') else tests[:1]
print(json.dumps([len(urls) > 1500, [url for url in urls if suitable.key_for(url) != in_order(url)]]))`
  expect(JSON.parse(await inExtractor(script))).toEqual([true, []])
})

test('the extractors that are not asked about embeds find none in any page', async () => {
  const script = `
import json, resolve, suitable
resolver = resolve.Resolver()
page = ' '.join(f'<iframe src="{test["url"]}"></iframe>' for each in suitable.extractors() for test in each.get_testcases())
asked = set(resolver._ies.values())
others = [each for each in suitable.extractors() if each not in asked]
finding = [each.IE_NAME for each in others if list(each.extract_from_webpage(resolver, 'https://example.com/', page))]
print(json.dumps([len(others) > 1000, len(asked) > 100, finding]))`
  expect(JSON.parse(await inExtractor(script))).toEqual([true, true, []])
})
