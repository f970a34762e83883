#!/bin/sh
# A browser whose user consents to everything: it follows redirects up to hallmark's own address.
exec curl --silent --show-error --location --max-redirs 10 --max-time 20 --output /dev/null "$1"
