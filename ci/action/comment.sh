#!/usr/bin/env bash
# The step of action.yml that comments. The first line of the Markdown report is a marker that is the same for every report about one
# target; the comment that begins with it is replaced, and written when there is none. A token that may not comment, as for a pull request
# from a fork, is no reason to fail.
set -euo pipefail

IFS= read -r marker <"$HALLMARK_REPORT"
if [[ ! $marker =~ ^'<!-- hallmark-report '[0-9a-f]+' -->'$ ]]; then
  echo "::error::hallmark: $HALLMARK_REPORT does not begin with a marker"
  exit 1
fi

comments=repos/$GITHUB_REPOSITORY/issues/$HALLMARK_PULL_REQUEST/comments
export marker HALLMARK_AUTHOR
refused() {
  echo "::warning::hallmark: cannot comment on the pull request; the token needs the permission pull-requests: write"
  exit 0
}
ids=$(gh api --paginate "$comments?per_page=100" \
  --jq '.[] | select(.user.login == env.HALLMARK_AUTHOR) | select(.body | startswith(env.marker)) | .id') || refused
id=${ids%%$'\n'*}
if [ -n "$id" ]; then
  gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" -F "body=@$HALLMARK_REPORT" || refused
else
  gh api --silent --method POST "$comments" -F "body=@$HALLMARK_REPORT" || refused
fi
