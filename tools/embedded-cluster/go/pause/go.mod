module embedded/pause

go 1.24
