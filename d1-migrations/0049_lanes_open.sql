-- Each step of a chain's agent reads the open lanes: they are found without the closed ones, which are kept for ever.
CREATE INDEX lanes_open ON lanes (blockchain, id) WHERE state = 'open';
