import { describe, expect, it } from 'vitest'
import { DagFixture } from '../dag-fixture.ts'

/*
 * Folders whose CIDs were computed by kubo 0.18.1 with `ipfs add -Qr --cid-version 1`: the data sets of its own gateway tests
 * (ipfs/kubo, test/sharness, t0114 and t0123). Their files are smaller than a leaf of either chunk size.
 */
const FOLDERS: [string, Record<string, string>][] = [
  [
    'bafybeiht6dtwk3les7vqm6ibpvz6qpohidvlshsfyr7l5mpysdw2vmbbhe',
    {
      hello: 'hello\n',
      'ipfs/ipns/bar': 'text-file-content\n',
      'api/file.txt': 'I am a txt file\n',
      'ipfs/file.txt': 'I am a txt file\n',
    },
  ],
  [
    'bafybeiafyvqlazbbbtjnn6how5d6h6l6rxbqc4qgpbmteaiskjrffmyy4a',
    {
      'ą/ę/t.json': '{ "test": "i am a plain json file" }\n',
      'ą/ę/file-źł.txt': 'I am a txt file on path with utf8\n',
      'api/file.txt': 'I am a txt file in confusing /api dir\n',
      'ipfs/file.txt': 'I am a txt file in confusing /ipfs dir\n',
      'ipns/file.txt': 'I am a txt file in confusing /ipns dir\n',
    },
  ],
]

describe('a folder', () => {
  it.each(FOLDERS)('has the CID that kubo gives it: %s', async (cid, files) => {
    expect(String(await new DagFixture().addDirectory(files))).toBe(cid)
  })
})
