import { createVerifiedFetch } from '@helia/verified-fetch'

// A script of its own: what it imports is installed for the full bench only.
window.createVerifiedFetch = createVerifiedFetch
