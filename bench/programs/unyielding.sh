#!/bin/sh
# Runs a program without the library that the lab preloads to make idle ranks sleep; other preloaded
# libraries stay.
LD_PRELOAD=$(printf '%s\n' "$LD_PRELOAD" | tr : '\n' | grep -v yield_shim | paste -sd :)
export LD_PRELOAD
exec "$@"
