# A static binary and the certificates that it needs, nothing else; it runs as nobody in particular. docs/install.md shows how to use it.
FROM golang:1.26.8 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=
ARG TARGETOS
ARG TARGETARCH
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath \
      -ldflags "-s -w -X github.com/mcp-hallmark/hallmark/internal/cli.Version=$VERSION" -o /out/hallmark ./cmd/hallmark && \
    mkdir -m 1777 /out/tmp && mkdir -m 0777 /out/work

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/ /
ENV HOME=/work
WORKDIR /work
USER 65532:65532
ENTRYPOINT ["/hallmark"]
