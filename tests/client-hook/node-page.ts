// What a page author's own modules do with the helper's node, or with a Helia of their own: bundled for the tests.
import { dagCbor } from '@helia/dag-cbor'
import { json } from '@helia/json'
import { unixfs } from '@helia/unixfs'
import { createHeliaLight } from 'helia'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'

Reflect.set(window, 'author', { CID, createHeliaLight, dagCbor, json, sha256, unixfs })

export interface Author {
  CID: typeof CID
  createHeliaLight: typeof createHeliaLight
  dagCbor: typeof dagCbor
  json: typeof json
  sha256: typeof sha256
  unixfs: typeof unixfs
}
