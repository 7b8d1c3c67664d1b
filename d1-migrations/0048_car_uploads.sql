-- What an upload is: a CAR, whose blocks are taken in as they are; none for a file.
ALTER TABLE items ADD COLUMN upload_kind TEXT CHECK (upload_kind = 'car');
