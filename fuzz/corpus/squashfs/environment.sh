#!/bin/sh
if [ -n "$X" ]; then
  export A=1
fi
export PATH=/usr/games:$PATH B='two words'
export C="${C:-"${D:-x}"}" E=\$x # note
export F=$(id)
