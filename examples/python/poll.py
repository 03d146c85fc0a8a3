"""Lists a car buyer's price requests, then follows their changes.

Needs Python 3.9 or newer and nothing else.

    export DEAL_SETS_URL=https://api.example.com
    export DEAL_SETS_TOKEN=...     # an access token of an assistant that the buyer approved
    python3 poll.py                # until Ctrl+C
    python3 poll.py --once         # until nothing more has changed

The first run reads everything. Each later run continues after the changes that the last one
handled, because the watermark is saved in `watermark.txt`.
"""

import argparse
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

BEGINNING = "1970-01-01T00:00:00Z"
# The longest wait for a response; the service itself responds within 8 seconds.
TIMEOUT_SECONDS = 15
# Waits after failures without `Retry-After` double from the first to the last.
FIRST_WAIT_SECONDS = 1
LAST_WAIT_SECONDS = 60


def read_page(since):
    """Returns the entries that changed after `since`, the watermark, and whether more remain."""
    query = urllib.parse.urlencode({"since": since})
    request = urllib.request.Request(
        f"{os.environ['DEAL_SETS_URL']}/api/v1/deal-sets?{query}",
        headers={"Authorization": f"Bearer {os.environ['DEAL_SETS_TOKEN']}"},
    )
    with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
        entries = json.load(response)["data"]
        has_more = response.headers["Service-More"] == "true"
        return entries, response.headers["Service-As-Of"], has_more


def read_page_patiently(since):
    """Calls `read_page` until it succeeds. Raises errors that a retry cannot fix."""
    wait = FIRST_WAIT_SECONDS
    while True:
        try:
            return read_page(since)
        except urllib.error.HTTPError as error:
            # 429: over the rate limit; 5xx: the service is temporarily unavailable.
            if error.code != 429 and error.code < 500:
                raise
            seconds = float(error.headers.get("Retry-After") or wait)
        except OSError:
            # No connection, or no response in time.
            seconds = wait
        print(f"waiting {seconds:g} s", flush=True)
        time.sleep(seconds)
        wait = min(wait * 2, LAST_WAIT_SECONDS)


def handle(entry):
    """Handles an entry. An entry can come twice; the later one replaces the earlier."""
    # Clients must skip unknown kinds.
    if entry["kind"] not in ("deal_set", "single"):
        return
    entry_id = entry["dealSetId"] if entry["kind"] == "deal_set" else entry["id"]
    cents = entry["lowestWrittenOtdCents"]
    price = "no price in writing" if cents is None else f"${cents / 100:,.2f}"
    print(entry["kind"], entry_id, entry["section"], price, flush=True)


def main():
    parser = argparse.ArgumentParser(description="Follows a buyer's price requests.")
    parser.add_argument("--once", action="store_true", help="end when nothing more has changed")
    parser.add_argument("--every", type=float, default=30, help="seconds between polls")
    parser.add_argument("--watermark", type=Path, default=Path("watermark.txt"))
    options = parser.parse_args()

    saved = options.watermark
    since = saved.read_text().strip() if saved.exists() else BEGINNING
    while True:
        entries, since, has_more = read_page_patiently(since)
        for entry in entries:
            handle(entry)
        # Saved after the page was handled. A run that ends earlier reads the page again.
        saved.write_text(since)
        if has_more:
            continue
        if options.once:
            return
        time.sleep(options.every)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
