import { describe, expect, it } from 'vitest'
import { addDirectory } from '../../../../../worker/content/ipfs/dag/add-file.ts'
import { DagFixture } from '../dag-fixture.ts'

/*
 * The CIDs that kubo 0.43.1 computes with its profile `unixfs-v1-2025` (IPIP-499) by `ipfs add -r -H`; with the options that
 * docs/formats.md names the same ones, but for the last folder. The first two are the data sets of kubo's own gateway tests
 * (ipfs/kubo, test/sharness, t0114 and t0123).
 */
const text = (words: string) => new TextEncoder().encode(words)

/** By path; one that ends in a slash is a folder that nothing is in. */
type Files = Record<string, string | Uint8Array>

const many = (count: number): Files =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`file-${n}.txt`, `${n}\n`]))

const FOLDERS: [string, string, Files][] = [
  [
    'files and folders',
    'bafybeiht6dtwk3les7vqm6ibpvz6qpohidvlshsfyr7l5mpysdw2vmbbhe',
    {
      hello: 'hello\n',
      'ipfs/ipns/bar': 'text-file-content\n',
      'api/file.txt': 'I am a txt file\n',
      'ipfs/file.txt': 'I am a txt file\n',
    },
  ],
  [
    'names beyond ASCII',
    'bafybeiafyvqlazbbbtjnn6how5d6h6l6rxbqc4qgpbmteaiskjrffmyy4a',
    {
      'ą/ę/t.json': '{ "test": "i am a plain json file" }\n',
      'ą/ę/file-źł.txt': 'I am a txt file on path with utf8\n',
      'api/file.txt': 'I am a txt file in confusing /api dir\n',
      'ipfs/file.txt': 'I am a txt file in confusing /ipfs dir\n',
      'ipns/file.txt': 'I am a txt file in confusing /ipns dir\n',
    },
  ],
  [
    'a file of 17 leaves',
    'bafybeifc3e2ky337wh5iihzdj45p4l4zg3gccdxb7fvqixml3ezpgtly4i',
    {
      'film.bin': Uint8Array.from({ length: (16 << 20) + 5 }, (_, at) => at >> 20),
      'index.html': '<h1>17 blocks</h1>\n',
    },
  ],
  ['9,000 files in one folder', 'bafybeibibyvht5anbdn2btda7dfz3xfas644q2c3gaopya43ch2zusw7p4', many(9000)],
  [
    'names that begin with a dot',
    'bafybeiexdmju7s2upldnqbfjwtxijgv6chy6kal76o3vyhydirsh5jmuxm',
    {
      '.htaccess': 'deny\n',
      '.well-known/security.txt': 'Contact: mailto:a@example.com\n',
      'a/.hidden/.deep': 'deep\n',
      'index.html': 'home\n',
    },
  ],
  [
    'folders that nothing is in',
    'bafybeif3beopgg7n5lxpsfdufo3njky3zh4hrukky2rqgkhyefri3topn4',
    { 'a/': '', 'b/c/': '', 'b/d.txt': 'd\n', 'index.html': 'home\n' },
  ],
  ['the most files that are no shards', 'bafybeiajdyxxkxaqr7azovz4o7esuk3wqmkmcgsod2ze4n57gqmjk4d6ge', many(4618)],
  ['the fewest files that are shards', 'bafybeihvstyvzchb5jofjben657uvcxym4bcqfytipjxuz3u5p4brmpe5i', many(4619)],
]

async function* entriesOf(files: Files) {
  for (const [path, content] of Object.entries(files)) {
    if (path.endsWith('/')) yield { path: path.slice(0, -1), empty: true as const }
    else yield { path, content: once(typeof content === 'string' ? text(content) : content) }
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

describe('the CID of a folder is that of kubo:', () => {
  it.each(FOLDERS)('%s', async (_, cid, files) => {
    expect(String((await addDirectory(new DagFixture(), entriesOf(files))).cid)).toBe(cid)
  })
})
