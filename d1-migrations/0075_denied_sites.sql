-- Of a CID that is denied since another name of the same website on a chain is: those names, each as kind:value and a
-- space. NULL where it was denied by itself.
ALTER TABLE denied ADD COLUMN behind TEXT;

-- Directories on chains, which are websites there: a denied txid is searched in their lists.
CREATE INDEX items_chain_sites ON items (id) WHERE directory_of IS NOT NULL AND blockchain <> 'IPFS';
