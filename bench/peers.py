"""datasketch and rensa over the windows that kernels.mjs sends on stdin: signatures per second of CPU time, as JSON."""

import json
import re
import sys
import time
from importlib.metadata import version

import datasketch
import rensa

HASHES = 128
ROUNDS = 5
ROUND_SECONDS = 0.3


def shingles_of(text):
    """Three characters of a short text, three words of others, as the first clients cut them."""
    if len(text) < 200:
        return {text[i : i + 3] for i in range(len(text) - 2)}
    words = re.findall(r"\w+", text, re.ASCII)
    return {" ".join(words[i : i + 3]) for i in range(len(words) - 2)}


def of_datasketch(shingles):
    sketch = datasketch.MinHash(num_perm=HASHES)
    sketch.update_batch([shingle.encode() for shingle in shingles])
    return sketch.hashvalues


def of_datasketch_hashes(hashes):
    sketch = datasketch.MinHash(num_perm=HASHES, hashfunc=int)
    sketch.update_batch(hashes)
    return sketch.hashvalues


def of_rensa(kind):
    def signature(shingles):
        sketch = kind(num_perm=HASHES, seed=42)
        sketch.update(shingles)
        return sketch.digest()

    return signature


def of_rensa_hashes(hashes):
    return rensa.RMinHash.digest_matrix_from_token_hash_sets([hashes], num_perm=HASHES, seed=42)


def rate(samples, kernel):
    def once(times):
        started = time.process_time()
        for _ in range(times):
            for sample in samples:
                kernel(sample)
        return time.process_time() - started

    times = max(1, round(ROUND_SECONDS / once(1)))
    seconds = sorted(once(times) for _ in range(ROUNDS))[ROUNDS // 2]
    return times * len(samples) / seconds


def main():
    windows = json.load(sys.stdin)
    texts = [window["text"] for window in windows]
    hashes = [window["hashes"] for window in windows]
    shingles = [list(shingles_of(text)) for text in texts]
    sketches = {
        "datasketch": of_datasketch,
        "rensa CMinHash": of_rensa(rensa.CMinHash),
        "rensa RMinHash": of_rensa(rensa.RMinHash),
    }
    rows = []
    for name, sketch in sketches.items():
        rows.append([name, "text", rate(texts, lambda text: sketch(list(shingles_of(text))))])
        rows.append([name, "shingles", rate(shingles, sketch)])
    rows.append(["datasketch", "shingle hashes", rate(hashes, of_datasketch_hashes)])
    rows.append(["rensa RMinHash", "shingle hashes", rate(hashes, of_rensa_hashes)])
    rates = [{"name": name, "from": start, "perSecond": round(value)} for name, start, value in rows]
    versions = {name: version(name) for name in ("datasketch", "rensa")}
    print(json.dumps({"versions": versions, "rates": rates}))


main()
